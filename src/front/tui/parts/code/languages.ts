/** Lexical rules by language: comments, strings, keywords. */

export type Language = {
  /** Regular expressions, each for one form. They must be linear: alternatives that begin differently. */
  readonly comments: readonly string[];
  readonly strings: readonly string[];
  readonly words: ReadonlySet<string>;
  /** Names that begin with a capital are types. */
  readonly hasTypes?: true;
  /** A word before a colon or an equals sign is a name. */
  readonly hasKeys?: true;
  /** Keywords in any case. */
  readonly ignoresCase?: true;
  /** Tags and attributes. */
  readonly isMarkup?: true;
};

const SLASHES = '\\/\\/[^\\n]*';
const BLOCK = '\\/\\*[^*]*(?:\\*(?!\\/)[^*]*)*(?:\\*\\/)?';
const HASH = '#[^\\n]*';
const DASHES = '--[^\\n]*';
const MARKUP_COMMENT = '<!--(?:[^-]|-(?!->))*(?:-->)?';

const DOUBLE = '"(?:\\\\[^]|[^"\\\\\\n])*"?';
const SINGLE = "'(?:\\\\[^]|[^'\\\\\\n])*'?";
/** A character: lifetimes (`'a`) are not matched. */
const CHARACTER = "'(?:\\\\[^\\n]{1,8}|[^'\\\\\\n])'";
const TEMPLATE = '`(?:\\\\[^]|[^`\\\\])*`?';
const THREE_DOUBLE = '"""(?:[^"\\\\]|\\\\[^]|"(?!""))*(?:""")?';
const THREE_SINGLE = "'''(?:[^'\\\\]|\\\\[^]|'(?!''))*(?:''')?";

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

const C_WORDS = `auto break case catch char class const constexpr continue default delete do double else enum explicit extern
  false float for friend goto if inline int long mutable namespace new nullptr operator override private protected public
  return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual
  void volatile while NULL bool size_t`;
const JS_WORDS = `abstract any as asserts async await boolean break case catch class const constructor continue debugger
  declare default delete do else enum export extends false finally for from function get if implements import in infer
  instanceof interface is keyof let namespace never new null number object of override private protected public readonly
  return satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown var void
  while with yield`;
const JAVA_WORDS = `abstract as async await base bool boolean break byte case catch char class companion const continue data
  decimal default delegate do double else enum event extends false final finally float for foreach fun get if implements
  import in init inner instanceof int interface internal is lateinit lock long namespace new null object open operator out
  override package params private protected public readonly record ref return sealed set short static string struct super
  suspend switch synchronized this throw throws transient true try typeof using val var virtual void volatile when where
  while yield`;

const C_LIKE = { comments: [SLASHES, BLOCK], strings: [DOUBLE, SINGLE], hasTypes: true } as const;
const HASHED = { comments: [HASH], strings: [DOUBLE, SINGLE] } as const;

const LANGUAGES: Readonly<Record<string, Language>> = {
  js: { ...C_LIKE, strings: [DOUBLE, SINGLE, TEMPLATE], words: words(JS_WORDS) },
  c: { ...C_LIKE, words: words(C_WORDS) },
  java: { ...C_LIKE, strings: [THREE_DOUBLE, DOUBLE, SINGLE], words: words(JAVA_WORDS) },
  go: {
    ...C_LIKE,
    strings: [DOUBLE, CHARACTER, TEMPLATE],
    words:
      words(`break bool byte case chan const continue default defer else error fallthrough false float64 for func go goto
      if import int int64 interface map nil package range return rune select string struct switch true type uint var`),
  },
  rust: {
    ...C_LIKE,
    strings: [DOUBLE, CHARACTER],
    words:
      words(`as async await bool break char const continue crate dyn else enum extern f64 false fn for i32 i64 if impl in
      let loop match mod move mut pub ref return self Self static str struct super trait true type u8 u32 u64 unsafe use
      usize where while`),
  },
  swift: {
    ...C_LIKE,
    strings: [THREE_DOUBLE, DOUBLE],
    words:
      words(`actor as async await break case catch class continue default defer do else enum extension false fileprivate
      final for func guard if import in init inout internal is lazy let mutating nil open override private protocol public
      return self static struct super switch throw throws true try typealias var weak where while`),
  },
  php: {
    ...C_LIKE,
    comments: [SLASHES, BLOCK, HASH],
    words:
      words(`abstract array as break case catch class clone const continue declare default do echo else elseif empty enum
      extends false final finally fn for foreach function global if implements include instanceof interface isset match
      namespace new null private protected public readonly require return static switch this throw trait true try unset use
      var while yield`),
  },
  python: {
    ...HASHED,
    strings: [THREE_DOUBLE, THREE_SINGLE, DOUBLE, SINGLE],
    hasTypes: true,
    words:
      words(`and as assert async await break case class continue def del elif else except False finally for from global
      if import in is lambda match None nonlocal not or pass raise return self True try while with yield`),
  },
  ruby: {
    ...HASHED,
    hasTypes: true,
    words:
      words(`alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or
      puts redo require rescue retry return self super then true undef unless until when while yield`),
  },
  shell: {
    ...HASHED,
    words:
      words(`alias case cd do done echo elif else esac eval exec exit export fi for function if in local read return set
      shift source sudo then trap unset until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME WORKDIR`),
  },
  yaml: { ...HASHED, hasKeys: true, words: words('true false null yes no on off') },
  json: { comments: [SLASHES, BLOCK], strings: [DOUBLE], hasKeys: true, words: words('true false null') },
  ini: { ...HASHED, comments: [HASH, ';[^\\n]*'], hasKeys: true, words: words('true false') },
  css: {
    comments: [BLOCK, SLASHES],
    strings: [DOUBLE, SINGLE],
    hasKeys: true,
    words: words('important media import keyframes supports include mixin extend use if else each for function return'),
  },
  sql: {
    comments: [DASHES, BLOCK],
    strings: [SINGLE, DOUBLE],
    ignoresCase: true,
    words:
      words(`add all alter and any as asc between by case check column commit constraint create cross default delete desc
      distinct drop else end exists explain false foreign from full group having if in index inner insert int integer into is
      join key left like limit not null on or order outer primary references returning right rollback select set table text
      then true union unique update using values varchar view when where with`),
  },
  lua: {
    comments: [DASHES],
    strings: [DOUBLE, SINGLE],
    words: words(
      'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
    ),
  },
  markup: { comments: [MARKUP_COMMENT], strings: [], words: new Set(), isMarkup: true },
};

const NAMES: Readonly<Record<string, string>> = {
  javascript: 'js',
  jsx: 'js',
  mjs: 'js',
  cjs: 'js',
  typescript: 'js',
  ts: 'js',
  tsx: 'js',
  mts: 'js',
  cts: 'js',
  cpp: 'c',
  'c++': 'c',
  cc: 'c',
  h: 'c',
  hpp: 'c',
  objc: 'c',
  proto: 'c',
  kotlin: 'java',
  kt: 'java',
  scala: 'java',
  groovy: 'java',
  dart: 'java',
  csharp: 'java',
  cs: 'java',
  'c#': 'java',
  golang: 'go',
  rs: 'rust',
  py: 'python',
  python3: 'python',
  rb: 'ruby',
  elixir: 'ruby',
  crystal: 'ruby',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  fish: 'shell',
  console: 'shell',
  dockerfile: 'shell',
  docker: 'shell',
  makefile: 'shell',
  make: 'shell',
  powershell: 'shell',
  ps1: 'shell',
  perl: 'shell',
  r: 'python',
  yml: 'yaml',
  json5: 'json',
  jsonc: 'json',
  toml: 'ini',
  properties: 'ini',
  dotenv: 'ini',
  conf: 'ini',
  scss: 'css',
  less: 'css',
  postgres: 'sql',
  mysql: 'sql',
  graphql: 'js',
  html: 'markup',
  xml: 'markup',
  svg: 'markup',
  vue: 'markup',
  svelte: 'markup',
  xhtml: 'markup',
};

/** Finds a language by its name or an alias, in any case. */
export function findLanguage(name: string): Language | undefined {
  const wanted = name.toLowerCase();
  const known = Object.hasOwn(NAMES, wanted) ? (NAMES[wanted] ?? wanted) : wanted;
  return Object.hasOwn(LANGUAGES, known) ? LANGUAGES[known] : undefined;
}
