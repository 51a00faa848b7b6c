/**
 * Every construct of the bash grammar. `c()` gives a command to put into it, `w()` a word, `r` is the redirection that
 * belongs to the construct itself, or empty.
 */

/** These are plain to a careful reader: no loop, no function, nothing computed. */
const SIMPLE = [
  ['simple', ({ c, r }) => `${c()}${r}`],
  ['pipeline', ({ c, r }) => `${c()} | ${c()}${r}`],
  ['first of a pipeline', ({ c, r }) => `${c()}${r} | ${c()}`],
  ['pipeline with errors', ({ c, r }) => `${c()} |& ${c()}${r}`],
  ['long pipeline', ({ c, r }) => `${c()} | ${c()}${r} | ${c()}`],
  ['not', ({ c, r }) => `! ${c()}${r}`],
  ['and', ({ c, r }) => `${c()} && ${c()}${r}`],
  ['or', ({ c, r }) => `${c()} || ${c()}${r}`],
  ['list', ({ c, r }) => `${c()}${r}; ${c()}`],
  ['background', ({ c, r }) => `${c()}${r} & wait`],
  ['lines', ({ c, r }) => `${c()}${r}\n${c()}`],
  ['group', ({ c, r }) => `{ ${c()}; }${r}`],
  ['group of two', ({ c, r }) => `{ ${c()}; ${c()}; }${r}`],
  ['subshell', ({ c, r }) => `( ${c()} )${r}`],
  ['subshell of two', ({ c, r }) => `(${c()}; ${c()})${r}`],
  ['group in a pipeline', ({ c, r }) => `${c()} | { ${c()}; }${r}`],
  ['subshell in a pipeline', ({ c, r }) => `(${c()})${r} | ${c()}`],
  ['group in a subshell', ({ c, r }) => `( { ${c()}; }${r} )`],
  ['subshell in a group', ({ c, r }) => `{ (${c()})${r}; }`],
  ['if', ({ c, r }) => `if ${c()}; then ${c()}; fi${r}`],
  ['if else', ({ c, r }) => `if ${c()}; then ${c()}; else ${c()}; fi${r}`],
  ['elif', ({ c, r }) => `if ${c()}; then ${c()}; elif ${c()}; then ${c()}; else ${c()}; fi${r}`],
  ['redirected condition', ({ c, r }) => `if ${c()}${r}; then ${c()}; fi`],
  ['bare redirection', ({ c, r }) => `${r === '' ? ' > /dev/null' : r}; ${c()}`],
  ['redirection first', ({ c, r }) => `${r.trim()} ${c()}`],
  ['time', ({ c, r }) => `time ${c()}${r}`],
  ['time group', ({ c, r }) => `time { ${c()}; }${r}`],
  ['not subshell', ({ c, r }) => `! ( ${c()} )${r}`],
  ['comment', ({ c, r }) => `${c()}${r} # note`],
];

const FREE = [
  ['for', ({ c, r, w }) => `for i in ${w()} ${w()}; do ${c()}; done${r}`],
  ['for over arguments', ({ c, r }) => `for i do ${c()}; done${r}`],
  ['for with a body in braces', ({ c, r, w }) => `for i in ${w()}; { ${c()}; }${r}`],
  ['for using it', ({ r, w }) => `for i in ${w()} ${w()}; do cat "$i"; done${r}`],
  ['counting for', ({ c, r }) => `for ((i = 0; i < 2; i++)); do ${c()}; done${r}`],
  ['counting for with a body in braces', ({ c, r }) => `for ((i = 0; i < 2; i++)) { ${c()}; }${r}`],
  ['while', ({ c, r }) => `while ${c()}; do ${c()}; break; done${r}`],
  ['while reading', ({ c, r }) => `${c()} | while read -r x; do echo "$x"; done${r}`],
  ['while reading names', ({ c, r }) => `${c()} | while read -r x; do cat "$x"; done${r}`],
  ['until', ({ c, r }) => `until ${c()}; do ${c()}; break; done${r}`],
  ['select', ({ c, r, w }) => `select i in ${w()} ${w()}; do ${c()}; break; done${r}`],
  ['case', ({ c, r, w }) => `case ${w()} in x) ${c()} ;; *) ${c()} ;; esac${r}`],
  ['case falling through', ({ c, r, w }) => `case ${w()} in *) ${c()} ;& y) ${c()} ;;& z) ${c()} ;; esac${r}`],
  ['case pattern', ({ c, r, w }) => `case x in ${w()}) ${c()} ;; (*) ${c()} ;; esac${r}`],
  ['function', ({ c, r }) => `f() { ${c()}; }${r}; f`],
  ['function with a keyword', ({ c, r }) => `function f { ${c()}; }; f${r}`],
  ['function of a subshell', ({ c, r }) => `f() ( ${c()} )${r}; f`],
  ['function of a loop', ({ c, r, w }) => `f() for i in ${w()}; do ${c()}; done${r}; f`],
  ['function with arguments', ({ c, r, w }) => `f() { cat "$1"; ${c()}; }; f ${w()}${r}`],
  ['function named as a program', ({ c, r }) => `ls() { ${c()}; }; ls${r}`],
  ['function with a local', ({ c, r, w }) => `f() { local v=${w()}; ${c()}; }; f${r}`],
  ['test', ({ c, r, w }) => `[[ -f ${w()} ]]${r} && ${c()}`],
  ['test of two', ({ c, r, w }) => `[[ ${w()} == ${w()} || -n ${w()} ]]${r} || ${c()}`],
  ['test with a pattern', ({ c, r, w }) => `[[ ${w()} =~ ^(a|b) ]]${r}; ${c()}`],
  ['test of a number', ({ c, r, w }) => `[[ ${w()} -eq 1 ]]${r}; ${c()}`],
  ['arithmetic', ({ c, r }) => `(( i = 1 + 2 ))${r}; ${c()}`],
  ['arithmetic with a command', ({ c, r }) => `(( $(${c()} | wc -l) > 0 ))${r} && ${c()}`],
  ['coproc', ({ c, r }) => `coproc ${c()}${r}; wait`],
  ['named coproc', ({ c, r }) => `coproc N { ${c()}; }${r}; wait`],
  ['substitution', ({ c, r }) => `echo $(${c()}${r})`],
  ['substitution in quotes', ({ c, r }) => `echo "a $(${c()}${r}) b"`],
  ['substitution assigned', ({ c, r }) => `v=$(${c()}${r}); echo "$v"`],
  ['backtick', ({ c, r }) => `echo \`${c()}${r}\``, 'no backslash'],
  ['process substitution', ({ c, r }) => `diff <(${c()}${r}) <(${c()})`],
  ['writing process substitution', ({ c, r }) => `${c()} > >(${c()}${r})`],
  ['read from a process', ({ c, r }) => `while read -r x; do ${c()}; done < <(${c()}${r})`],
  ['mapfile', ({ c, r }) => `mapfile -t l < <(${c()}${r}); echo "\${l[0]}"`],
  ['loop in a loop', ({ c, r, w }) => `for i in ${w()}; do while ${c()}; do ${c()}; break; done${r}; done`],
  ['function in a pipeline', ({ c, r }) => `f() { ${c()}; }; ${c()} | f${r}`],
  ['return of a function', ({ c, r }) => `f() { ${c()}; return 3; }; f${r}; echo "$?"`],
];

export const CONSTRUCTS = [...SIMPLE, ...FREE].map(([name]) => name);

export function pickConstruct(random, share) {
  return random.pick(random.chance(share) ? FREE : SIMPLE);
}
