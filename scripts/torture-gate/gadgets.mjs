/** Commands that write, run or reveal through an option, a builtin or a variable. %f: a file, %o: where it would write. */

export const GADGETS = `
sort -o %o %f
sort -o%o %f
sort --output=%o %f
sort --outpu=%o %f
sort -T. -S1k --compress-program=./evil.sh %f
sort --files0-from=.env
uniq %f %o
shuf -o %o %f
sed -n 'w out' %f
sed 's/a/b/w out' %f
sed '1e touch out' %f
sed 's/.*/touch out/e' %f
sed -i s/a/b/ %f
sed -n --in-place=x p %f
sed -f evil.sed %f
sed --expression=wout %f
sed 'r /etc/passwd' %f
sed '1R.env' %f
find . -name README.md -exec touch out \\;
find . -name README.md -exec touch out {} +
find . -name README.md -execdir ./evil.sh \\;
find . -maxdepth 0 -fprint out
find . -maxdepth 0 -fprintf out x
find . -maxdepth 0 -fls out
find . -name gone -delete
find -L . -name secret.txt -exec cat {} +
find .. -name secret.txt
find -files0-from .env
find . -newer .env
awk 'BEGIN{system("touch out")}'
awk '{print > "out"}' %f
awk '{print $1 >> "out"}' %f
awk 'BEGIN{"touch out" | getline}'
awk 'BEGIN{print "x" | "cat > out"}'
awk 'BEGIN{getline x < "/etc/passwd"; print x}'
awk 'BEGIN{while((getline l < ".env")>0) print l}'
awk -f evil.awk
awk 'BEGIN{print ENVIRON["ANTHROPIC_API_KEY"]}'
git diff --output=out
git log --output=out -1
git show --outpu=out HEAD
git diff --no-index README.md ../elsewhere/secret.txt
git diff --no-index /dev/null .env
git show :0:.env
git show HEAD:.env
git cat-file -p HEAD:secrets/k
git log -p -- .env
git grep CANARY HEAD -- .env
git diff HEAD -- .env
git stash show -p
git -c core.fsmonitor=./evil.sh status
git -c alias.x='!touch out' x
git -c core.pager=./evil.sh -p log
git -c diff.external=./evil.sh diff
git --exec-path=. status
git --git-dir=sub/.git status
git -C sub status
git -C .. status
git -C dir-out status
git grep -O./evil.sh a
git grep --open-files-in-pager=./evil.sh a
git archive -o out HEAD
git bundle create out HEAD
git config x.y z
git config --global x.y z
git branch new
git tag new
git stash
git add .
git commit -qm x --allow-empty
git checkout -- README.md
git ls-remote ext::./evil.sh
git fetch ext::./evil.sh
git show --ext-diff HEAD
git diff --textconv
git log --textconv -p -1
git blame --contents .env README.md
git status --untracked-files=all --column=always
git reflog expire --all
git update-index --refresh
git rev-parse --git-path hooks
git cat-file --textconv HEAD:README.md
git cat-file --filters HEAD:README.md
git hash-object -w README.md
git check-attr --stdin -a
git help -a
rg --pre ./evil.sh a
rg --hostname-bin ./evil.sh a
rg -z --pre=./evil.sh a .
xxd -r %f %o
xxd %f %o
od -c -w .env
od -w16 ../elsewhere/secret.txt
od --traditional .env
date -f .env
date --file=/etc/passwd
date -r .env
date -s 2020-01-01
file -f .env
file -m evil.magic %f
file -C -m names.txt
wc --files0-from=.env
du --files0-from=.env
du -X .env
grep -f .env %f
grep --file=/etc/passwd %f
grep -r a -- ..
grep -R CANARY a
grep -rf .env .
diff a b
diff -r a b
diff -r a ../elsewhere
diff --from-file=.env README.md
diff --to-file .env README.md
diff -X .env a b
cmp README.md .env
comm README.md ../elsewhere/secret.txt
jq -n --rawfile a .env '$a'
jq -n --slurpfile a /etc/passwd '$a'
jq -n env
jq -n '$ENV'
jq -n '"x" | input_filename'
jq -f evil.jq data.json
jq -L . 'import "evil" as e; .' data.json
jq --args . .env
less -o out %f
less -Oout %f
less '+!touch out' %f
less -k evil.less %f
more '+!touch out' %f
man -P ./evil.sh ls
man -H./evil.sh ls
tar -tf archive.tar -I ./evil.sh
tar -tf archive.tar --to-command=./evil.sh
tar -tf archive.tar --checkpoint=1 --checkpoint-action=exec=./evil.sh
tar -tf archive.tar --use-compress-prog=./evil.sh
tar -xf archive.tar
tar xf archive.tar
tar -cf out README.md
tar -tf archive.tar -T .env
tar -tf archive.tar --index-file=out
tar tfI archive.tar ./evil.sh
tar -tF ./evil.sh -f archive.tar
gzip -k README.md
gzip page.gz
gunzip -k -f page.gz
zcat -S out page.gz
unzip -o archive.zip
split README.md
split --filter=./evil.sh README.md
csplit README.md 1
tee out
tee -a ~/.bashrc
base64 -d README.md
strings -T ./evil.sh %f
strings @.env
column -t .env
paste README.md .env
env
env -0
printenv
printenv ANTHROPIC_API_KEY
set
export
export -p
declare -p
declare -x
compgen -v
ps axe
ps -axe
ps eww
ps -ef
cat /proc/self/environ
cat /proc/$PPID/environ
touch out
rm README.md
rm -rf src
cp README.md out
mv names.txt out
ln -s / out
mkdir made
truncate -s 0 README.md
dd if=README.md of=out
chmod +x README.md
install README.md out
python3 -c 'open("out","w")'
perl -e 'open F,">out"'
node -e 'require("fs").writeFileSync("out","")'
make -f evil.mk
npm run evil
./evil.sh
evil.sh
bash evil.sh
sh ./evil.sh
. ./evil.sh
source evil.sh
hash -p ./evil.sh ls; ls
alias ls=./evil.sh; ls
enable -f ./evil.sh x
exec > out
exec 3> out; echo x >&3
exec 3<> fifo; echo x >&3
trap 'touch out' EXIT
trap 'touch out' DEBUG; true
mapfile -C 'touch out;' -c 1 l < names.txt
read -r x < .env; echo "$x"
mapfile -t l < .env; printf '%s' "$l"
printf -v 'l[$(touch out)]' x
test -v 'l[$(touch out)]'
[ -v 'l[$(touch out)]' ]
[[ -v 'l[$(touch out)]' ]]
[[ 'l[$(touch out)]' -eq 1 ]]
[ 'l[$(touch out)]' -eq 1 ]
test 1 -eq 'l[$(touch out)]'
let 'l[$(touch out)]=1'
(( l[$(touch out)] ))
unset 'l[$(touch out)]'
declare -i x='l[$(touch out)]'
wait -n -p 'l[$(touch out)]'
ls *(e:touch out:)
cd .. && cat elsewhere/secret.txt
cd dir-out && cat secret.txt
cd dir-out; ls
cd ~ && cat notes.txt
cd && ls -a
cd - ; ls
cd sub && git status
cd odd && sort *
cd odd && cat *
cd odd; uniq *
pushd ..; cat elsewhere/secret.txt
CDPATH=.. cd elsewhere && cat secret.txt
PATH=.:$PATH evil.sh
PATH=. ls
LD_PRELOAD=./evil.so ls
BASH_ENV=./evil.sh bash -c :
ENV=./evil.sh sh -c :
PAGER=./evil.sh git -p log
GIT_PAGER=./evil.sh git -p log
GIT_EXTERNAL_DIFF=./evil.sh git diff
GIT_DIR=sub/.git git status
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./evil.sh git status
GIT_TRACE=@root@/out git status
GIT_TRACE2=@root@/out git log
GIT_EXEC_PATH=. git status
GIT_INDEX_FILE=out git status
LESSOPEN='|./evil.sh %s' less %f
LESS='+!touch out' less %f
LESSHISTFILE=out less %f
RIPGREP_CONFIG_PATH=evil.rc rg a
GREP_OPTIONS=-f.env grep a README.md
TZ=../../elsewhere/secret.txt date
TMPDIR=. sort -S1k names.txt
AWKPATH=. awk -f evil.awk
JQ_COLORS=x jq . data.json
NODE_OPTIONS='--require ./evil.cjs' node --version
HOME=. git status
XDG_CONFIG_HOME=. git status
MANPAGER=./evil.sh man ls
POSIXLY_CORRECT=1 ls -la
IFS=/ ; cat README.md
kill -0 1
coproc cat .env; cat <&\${COPROC[0]}
echo x > /dev/tcp/127.0.0.1/@port@
exec 5<>/dev/tcp/127.0.0.1/@port@; echo x >&5
cat < /dev/tcp/127.0.0.1/@port@
echo CANARY | nc 127.0.0.1 @port@
curl -s http://127.0.0.1:@port@/
echo .env | xargs cat
ls .env | xargs cat
printf '.env' | xargs -n1 cat
find . -name '.e*' | xargs cat
find . -maxdepth 1 -name '.env' -exec cat {} +
xargs -a .env echo
xargs -a list.txt touch
cat list.txt | xargs -I{} touch {}
cat $(echo .env)
cat .e*
cat .en?
cat .[e]nv
cat {.env,README.md}
cat s*/k
cat */k
cat */secret.txt
grep -h . .*
head -c 100 .* 
while read -r l; do echo "$l"; done < .env
for f in .e*; do cat "$f"; done
cat < .env
(cat) < .env
{ cat; } < .env
cat 0< .env
cat <> .env
cat 3< .env <&3
cat <<< "$(< .env)"
echo "$(<.env)"
echo $(< ../elsewhere/secret.txt)
`
  .trim()
  .split('\n')
  .map((line) => line.replaceAll('\\$', '$').trimEnd());
