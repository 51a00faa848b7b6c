/** Floors and cycles: a room imports from lower floors only, never sideways, and nothing imports itself in a circle. */

const FLOORS = [
  ['protocol'],
  ['host'],
  ['config'],
  ['model', 'session', 'context', 'gate', 'tools'],
  ['loop'],
  ['agents'],
  ['front'],
];

const floorRules = FLOORS.flatMap((rooms, floor) =>
  rooms.map((room) => {
    const allowed = [room, ...FLOORS.slice(0, floor).flat(), ...(room === 'front' ? ['sim'] : [])];
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
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    ...floorRules,
    {
      name: 'floor-sim',
      comment: 'sim may use protocol and the wire types of model only',
      severity: 'error',
      from: { path: '^src/sim/' },
      to: { path: '^src/', pathNot: '^src/(sim/|protocol/|model/wire\\.ts$)' },
    },
    {
      name: 'effects-only-in-host',
      comment: 'files, processes and timers are reached through src/host',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(host|front/cli|sim)/' },
      to: { path: '^(node:)?(fs|fs/promises|child_process|timers|timers/promises|worker_threads)$' },
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
    includeOnly: '^(src/|node:|fs|child_process|timers|worker_threads)',
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
};
