/** Programs that copy, move, pack and transfer files, and containers. Their paths are checked separately. */

import { plainCommands, type Tool } from './tool.js';

const COPY: Tool = {
  flags: 'aRrpPdfinuvxTLHlsb',
  valued: 'tS',
  longs:
    'archive recursive force interactive no-clobber update verbose parents no-target-directory backup dereference no-dereference preserve remove-destination strip-trailing-slashes one-file-system link symbolic-link',
  longValued: 'target-directory suffix no-preserve reflink sparse',
  longOptional: 'preserve update backup reflink',
};

const COMPOSE: Tool = {
  flags: 'dqatfvVy',
  valued: 'ns',
  longs:
    'detach build no-build force-recreate no-recreate no-deps remove-orphans wait quiet quiet-pull no-start all services volumes follow timestamps no-color no-log-prefix abort-on-container-exit pull no-cache always-recreate-deps dry-run menu watch renew-anon-volumes orphans',
  longValued: 'tail since until timeout scale format status pull wait-timeout exit-code-from rmi',
};

const DOCKER: Tool = {
  flags: 'aqdfntilsv',
  valued: 'nt',
  longs:
    'all quiet no-trunc follow timestamps no-cache pull force digests size last latest details volumes version help',
  longValued: 'tail since until filter format tag target platform progress time signal',
};

/** Other schemes read local files or talk to other programs; so do a few host names. */
const WEB_ADDRESS = /^(?:https?:\/\/|(?!(?:ftp|dict|ldap|imap|smtp|pop3)\.)[\w.-]+(?::\d+)?(?:[/?#]|$))/i;
/** Braces and brackets expand to many URLs. */
const PLAIN_ADDRESS = new RegExp(`${WEB_ADDRESS.source}[^{}[\\]]*$`, 'i');
/** In a folder whose name starts with a dot, any file may be a setting. */
const PLAIN_FOLDER = /^(?!.*(?:^|\/)\.[^./])/s;

export const FILE_TOOLS: Readonly<Record<string, Tool>> = {
  cp: COPY,
  mv: COPY,
  ln: {
    ...COPY,
    flags: 'sfnrvbiLPT',
    longs: 'symbolic force no-dereference relative verbose backup interactive no-target-directory logical physical',
  },
  install: {
    ...COPY,
    flags: 'bcCdDpTv',
    valued: 'mogtS',
    longs: 'directory verbose compare preserve-timestamps no-target-directory',
    longValued: 'mode owner group target-directory suffix',
  },
  rm: {
    flags: 'rRfivdIx',
    longs: 'recursive force verbose dir one-file-system',
    longOptional: 'interactive preserve-root',
  },
  rmdir: { flags: 'pv', longs: 'parents verbose ignore-fail-on-non-empty' },
  unlink: {},
  tee: { flags: 'aip', longs: 'append ignore-interrupts' },
  truncate: { flags: 'co', valued: 'sr', longs: 'no-create io-blocks', longValued: 'size reference' },
  shred: {
    flags: 'fuvxz',
    valued: 'ns',
    longs: 'force verbose exact zero',
    longValued: 'iterations size',
    longOptional: 'remove',
  },
  chmod: { flags: 'RvcfrwxXstugoa', longs: 'recursive verbose changes silent quiet', longValued: 'reference' },
  chown: {
    flags: 'RvcfhHLP',
    longs: 'recursive verbose changes silent quiet no-dereference dereference',
    longValued: 'from reference',
  },
  touch: { flags: 'acmhf', valued: 'dtr', longs: 'no-create no-dereference', longValued: 'date time reference' },
  mkdir: { flags: 'pv', valued: 'm', longs: 'parents verbose', longValued: 'mode' },
  dd: {},
  split: {
    flags: 'dexu',
    valued: 'alnbCt',
    longs: 'verbose elide-empty-files',
    longValued: 'bytes lines number suffix-length line-bytes additional-suffix',
    longOptional: 'numeric-suffixes hex-suffixes',
  },
  patch: {
    flags: 'sNRfEbul',
    valued: 'pi',
    longs: 'dry-run forward reverse silent force verbose batch backup',
    longValued: 'strip input',
    changes: { from: /^(?:i|input)$/, unless: /^dry-run$/ },
  },
  tar: {
    // Not `W`: in BSD tar, a long option follows it.
    flags: 'cxtvzjJapkmhpSOru',
    valued: 'f',
    longs:
      'create extract get list append update verbose gzip bzip2 xz zstd auto-compress keep-old-files touch dereference sparse totals no-same-owner no-same-permissions preserve-permissions overwrite skip-old-files exclude-vcs wildcards anchored numeric-owner',
    longValued: 'file exclude strip-components strip owner group mtime sort format mode',
    // An archive on another machine is read by a remote shell.
    values: { f: /^[^:]*$/, file: /^[^:]*$/ },
  },
  zip: {
    flags: 'rqj9876543210vumfxyXi@',
    longs: 'recurse-paths quiet junk-paths verbose update',
    longValued: 'exclude include',
  },
  unzip: { flags: 'lvtqonjuafpzCLXx', valued: 'd' },
  gzip: {
    flags: 'cdfklnNqrtv123456789',
    longs: 'stdout decompress force keep list quiet recursive test verbose fast best',
  },
  gunzip: { flags: 'cfklnNqrtv', longs: 'stdout force keep list quiet recursive test verbose' },
  rsync: {
    flags: 'avzrltpogDhPuncHAXRWSqixLkEOIC',
    longs:
      'archive verbose compress recursive links perms times owner group delete delete-after delete-excluded dry-run progress stats human-readable partial update checksum quiet existing ignore-existing itemize-changes relative copy-links no-perms no-owner no-group numeric-ids mkpath',
    longValued: 'exclude include bwlimit timeout max-size min-size chmod',
    longOptional: 'info',
    local: true,
  },
  curl: {
    flags: 'sSfLiIkvgGjON#046aqZlR',
    valued: 'XHdAeumobrCzwF',
    longs:
      'silent show-error fail fail-with-body location include head insecure verbose get compressed remote-name no-progress-meter progress-bar http1.1 http2 ipv4 ipv6 globoff no-buffer create-dirs retry-all-errors retry-connrefused parallel basic digest location-trusted',
    longValued:
      'request header data data-raw data-binary data-urlencode json user user-agent referer max-time connect-timeout retry retry-delay retry-max-time output output-dir cookie range write-out url form form-string max-redirs limit-rate time-cond url-query',
    values: {
      // Other formats write files.
      w: /^(?!@)(?!.*%output)/s,
      'write-out': /^(?!@)(?!.*%output)/s,
      // `#1` refers to a part of the URL, `<` and quotes to a file.
      o: /^[^#]*$/,
      output: /^[^#]*$/,
      F: /^[^<"'\\]*$/,
      form: /^[^<"'\\]*$/,
      url: PLAIN_ADDRESS,
      'output-dir': PLAIN_FOLDER,
    },
    operand: (value, options) =>
      (options.has('g') || options.has('globoff') ? WEB_ADDRESS : PLAIN_ADDRESS).test(value) &&
      (value.includes('://') || !(options.has('O') || options.has('remote-name'))),
  },
  wget: {
    flags: 'qcNSvnx46',
    valued: 'OPTtwUQ',
    longs:
      'quiet no-verbose verbose continue timestamping server-response spider no-check-certificate show-progress no-clobber https-only',
    longValued:
      'output-document directory-prefix timeout tries wait user-agent header quota method body-data post-data progress limit-rate max-redirect',
    // The file is named after the last part of the URL, decoded.
    operand: (value, options) =>
      PLAIN_ADDRESS.test(value) &&
      (options.has('O') || options.has('output-document') || /^[^%]*:\/\/[^%]*$/.test(value)),
    values: { P: PLAIN_FOLDER, 'directory-prefix': PLAIN_FOLDER },
  },
  docker: {
    stops: true,
    commands: {
      ...plainCommands(
        'ps images logs build pull push stop start restart rm rmi tag inspect version info stats top port diff history search kill',
        DOCKER,
      ),
      ...plainCommands('container image volume network system builder', {
        commands: plainCommands('ls list inspect prune df rm create', DOCKER),
      }),
      compose: {
        stops: true,
        longs: 'dry-run',
        commands: plainCommands(
          'up down ps logs build pull push start stop restart config images top port ls rm create kill pause unpause version stats wait watch',
          COMPOSE,
        ),
      },
    },
  },
  'docker-compose': {
    stops: true,
    commands: plainCommands(
      'up down ps logs build pull push start stop restart config images top port rm create kill',
      COMPOSE,
    ),
  },
  pip: {
    commands: plainCommands('install uninstall list show freeze check download wheel', {
      flags: 'rUqveyI',
      longs:
        'upgrade quiet verbose editable no-deps yes pre no-cache-dir outdated force-reinstall dry-run require-virtualenv disable-pip-version-check',
      longValued: 'requirement format',
    }),
  },
};
