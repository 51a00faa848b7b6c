/** Programs that talk to other machines, and what their rules don't cover. */

import { findCurlRisks, findWgetRisks } from '../examine/downloads.js';
import { each } from '../make-rows.js';
import type { Program } from '../program.js';

const anywhere = { words: ['--version'], where: 'anywhere' } as const;
const COPIES: Program = {
  sends: true,
  valued: 'cFiJloPS',
  risks: [
    { letters: 'S', does: 'runs another program' },
    { letters: 'oFJ', does: 'changes how it connects' },
    { letters: 'D', does: 'runs another program' },
  ],
};

export const NETWORK: Readonly<Record<string, Program>> = {
  curl: {
    sends: true,
    valued: 'XHdAeumobrCzwFcDhyYTtUExPQ',
    texts: 'H header d data data-raw json A user-agent e referer b cookie X request u user',
    writes: 'o output output-dir dump-header D cookie-jar c trace trace-ascii stderr libcurl etag-save hsts alt-svc',
    check: findCurlRisks,
    risks: [
      {
        letters: 'o',
        names: 'output',
        unless: /^[^#]*$/,
        whole: true,
        does: 'names its file after parts of the address',
      },
      { words: /^[^=]*=(?:<|@?"|@.*;headers=)/, does: 'reads a file in a hidden way' },
      { letters: 'K', names: 'config', does: 'takes its options from a file' },
      {
        names:
          'unix-socket abstract-unix-socket proxy proxy1.0 preproxy socks4 socks4a socks5 socks5-hostname doh-url connect-to resolve dns-servers interface',
        letters: 'x',
        does: 'sends to somewhere else than its address says',
      },
      { names: 'engine', does: 'loads code' },
      {
        words: /^(?:file|scp|sftp|gopher|dict|ldaps?|smb|smbs|telnet|tftp|ftps?|imaps?|pop3s?|smtps?|rtsp|mqtt):/i,
        does: 'uses an address that is not of the web',
      },
      { words: /^(?:ftp|dict|ldap|imap|smtp|pop3)\./i, does: 'guesses the protocol from the name of the host' },
      { words: /%output\{/, does: 'writes a file that its format names' },
    ],
    longs:
      'compressed compressed-ssh connect-timeout continue-at path-as-is resolve-x proto request-target range retry url url-query user use-ascii cookie data fail form location insecure include silent show-error verbose output head header',
    versions: anywhere,
  },
  wget: {
    sends: true,
    valued: 'OPTtwUQaoieABDIXRl',
    writes: 'O output-document P directory-prefix o output-file a append-output save-cookies warc-file',
    check: findWgetRisks,
    risks: [
      { letters: 'e', names: 'execute', does: 'changes its configuration' },
      { names: 'use-askpass', does: 'runs another program' },
      { names: 'config', does: 'reads another configuration' },
      { letters: 'i', names: 'input-file', does: 'takes its addresses from a file' },
      { words: /^(?:ftps?|file):/i, does: 'uses an address that is not of the web' },
    ],
    longs: 'continue input-metalink ignore-case include-directories inet4-only inet6-only use-server-timestamps',
    versions: anywhere,
  },
  ...each('scp sftp', COPIES),
  rsync: {
    sends: true,
    valued: 'efBMTf@',
    writes: '= log-file write-batch only-write-batch partial-dir backup-dir temp-dir T',
    risks: [
      { letters: 'e', names: 'rsh rsync-path', does: 'runs another program' },
      { letters: 'M', names: 'remote-option', does: 'changes what runs on the other side' },
      { names: 'daemon config password-file early-input read-batch', does: 'reads another configuration' },
      { names: 'files-from exclude-from include-from', does: 'reads names from a file' },
      { words: /^rsync:|^[^/\s=-][^/\s=]*:/, does: 'reaches another machine' },
    ],
    longs:
      'recursive relative remove-source-files dry-run delete exclude include files checksum compress existing progress',
  },
  ssh: { runs: 'remote', wraps: 'unclear', sends: true },
  ...each('mosh autossh slogin rsh rlogin telnet', { runs: 'remote', sends: true }),
  ...each('nc ncat netcat socat', {
    sends: true,
    risks: [
      {
        letters: 'ec',
        names: 'exec sh-exec lua-exec',
        words: /^(?:exec|system|shell|open|create)\b/i,
        does: 'runs another program',
      },
    ],
  }),
  ...each(
    'ftp lftp tftp mail mailx mutt sendmail msmtp rclone aws gcloud az gsutil s3cmd http https xh wormhole croc',
    { sends: true },
  ),
  ...each('ping ping6 dig nslookup host whois traceroute tracepath mtr', {
    risks: [{ letters: 'f', words: /^@/, does: 'takes its questions from elsewhere' }],
  }),
  openssl: {
    versions: anywhere,
    risks: [
      {
        words: /^-(?:engine|provider|provider-path|config|proxy|connect)$|^(?:s_client|s_server|engine)$/,
        does: 'loads code or reaches another machine',
      },
    ],
  },
  'ssh-keygen': { versions: anywhere, risks: [{ letters: 'Dw', does: 'loads code' }] },
  ...each('ffmpeg', { versions: anywhere }),
  gh: {
    versions: anywhere,
    texts: 'b body t title m message n notes',
    commands: {
      ...each(
        'issue pr repo run release workflow gist label cache project ruleset search status browse org codespace attestation',
        {
          texts: 'b body t title m message n notes',
          valued: 'RLqST',
        },
      ),
      ...each('version help completion', {}),
      ...each('api alias extension auth config secret variable ssh-key gpg-key copilot', {
        risks: [{ always: true, does: 'reaches more than pull requests and issues' }],
      }),
    },
    prefixes: [
      'issue list',
      'issue view',
      'pr checks',
      'pr diff',
      'pr list',
      'pr status',
      'pr view',
      'repo view',
      'run list',
      'run view',
    ],
  },
};
