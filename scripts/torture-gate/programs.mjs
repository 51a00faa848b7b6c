/** Programs that read: %f is a file, %d a folder. Harmless as they stand, with harmless paths. */

export const READERS = `
cat %f
cat -n %f
cat %f %f
head -3 %f
head -n 2 %f
tail -n 2 %f
tail -n +2 %f
wc -l %f
wc %f %f
sort %f
sort -u %f
sort -k1,1n -t, %f
uniq %f
uniq -c %f
cut -c1-20 %f
cut -d: -f1 %f
tr a-z A-Z
nl %f
tac %f
rev %f
od -c %f
od -An -tx1 %f
xxd %f
strings %f
base64 %f
sha256sum %f
md5sum %f
cksum %f
fold -w 10 %f
expand %f
column -t %f
paste %f %f
comm %f %f
cmp %f %f
diff %f %f
diff -u %f %f
join %f %f
grep -n a %f
grep -c . %f
grep -rn main %d
grep -E 'a|b' %f
sed -n 1,2p %f
sed 's/a/b/' %f
sed -n '/a/p' %f
awk '{print $1}' %f
awk -F: 'NR==1{print $1}' %f
jq . data.json
jq -r .name data.json
ls
ls -la
ls -la %d
ls %f
find %d -name '*.ts'
find %d -type f
find . -maxdepth 1
stat %f
stat -c %s %f
file %f
du -s %d
test -f %f
[ -d %d ]
basename %f
dirname %f
realpath %f
readlink %f
echo hello
echo 'a b' c
echo "two words"
printf '%s\\n' x
pwd
date +%Y
true
false
:
seq 3
id -u
uname
whoami
which ls
type ls
command -v ls
git status
git status --short
git diff
git diff --stat
git log --oneline -3
git log -p -1
git show HEAD
git show HEAD:README.md
git ls-files
git branch
git rev-parse HEAD
git blame README.md
git grep -n a
git cat-file -p HEAD
tar -tf archive.tar
zcat page.gz
gzip -dc page.gz
node --version
less %f
cd %d
`
  .trim()
  .split('\n');

/** What may start while only reading: the readers, what they run themselves, and the shell's own wrappers. */
export const READING_PROGRAMS = new Set(
  `bash sh dash env timeout nice nohup stdbuf ionice setsid xargs find
  cat head tail wc sort uniq cut tr nl tac rev od xxd strings base64 base32 sha1sum sha256sum sha512sum md5sum cksum sum b2sum
  fold fmt expand unexpand column paste comm cmp diff join grep egrep fgrep sed awk gawk mawk original-awk jq ls dir vdir stat file du df test [
  basename dirname realpath readlink echo printf pwd date true false seq id uname whoami which git node tar gzip gunzip zcat
  man less more rg tree hexdump numfmt factor expr nproc arch hostname tty sleep pr ptx shuf tsort uptime groups logname printenv yes time
  bzcat bzip2 xzcat xz zstdcat zstd zgrep zdiff zipinfo unzip getconf locale dpkg-query
  ps pathchk sdiff diff3 look`
    .trim()
    .split(/\s+/),
);
