/** Floors and cycles: a room imports from lower floors only, never sideways, and no imports form a circle. Types count. */

const FLOORS = [
  ['protocol'],
  ['host'],
  ['config'],
  ['model', 'session', 'context', 'gate', 'tools'],
  ['loop'],
  ['agents'],
  ['features'],
  ['engine'],
  ['front'],
];

const floorRules = FLOORS.flatMap((rooms, floor) =>
  rooms.map((room) => {
    const allowed = [room, ...FLOORS.slice(0, floor).flat(), ...(room === 'engine' || room === 'front' ? ['sim'] : [])];
    return {
      name: `floor-${room}`,
      comment: `${room} may use ${allowed.join(', ')} only`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: '^src/', pathNot: `^src/(${allowed.join('|')})/` },
    };
  }),
);

module.exports = {
  /** Every folder of src/ that the rules know. */
  rooms: [...FLOORS.flat(), 'sim'],
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    ...floorRules,
    {
      name: 'floor-sim',
      comment: 'sim stands beside the house: it may use protocol and the wire types of model only',
      severity: 'error',
      from: { path: '^src/sim/' },
      to: { path: '^src/', pathNot: '^src/(sim/|protocol/|model/anthropic/wire\\.ts$)' },
    },
    {
      name: 'floor-sim-wire',
      comment: 'sim takes types from the wire file, no code',
      severity: 'error',
      from: { path: '^src/sim/' },
      to: { path: '^src/model/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'protocol-is-portable',
      comment: 'protocol runs in a browser',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // Node's own modules by name, so that protocol-is-portable sees them.
    includeOnly: '^(src/|node:|[a-z_]+(/promises)?$)',
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
};
