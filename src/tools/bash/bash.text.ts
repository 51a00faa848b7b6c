/** The description of Bash for the model. */

export const bashText = `Runs a bash command and gives its output (stdout and stderr together, in order) and, when it failed, its exit code.

- The command starts in the shell's current folder. \`cd\` lasts until the next call, for this agent only; variables, functions and aliases do not. A \`cd\` out of the folders this session works in is undone, with a note.
- There is no terminal and no input: use flags such as \`-y\` instead of prompts; no editors, no pagers, no \`git rebase -i\`.
- \`timeout\` is in milliseconds: 120000 unless given, 600000 at most. At the end of the command, however it ended, everything it started is ended too; a server or watcher can't be left running in the background.
- Long output is shortened to its beginning and end; the result names the file that has the rest.
- Quote paths that contain spaces. Chain with \`&&\` when a step needs the one before; give independent commands as separate calls in one message.
- For files use the tools made for it: Read (not cat, head, tail), Edit and Write (not sed, echo >), Glob (not find, ls), Grep (not grep, rg).
- \`description\` says in a few words what the command does, for the person who may be asked to allow it.`;

export const bashBackgroundText =
  "- `run_in_background: true` is for servers, watchers and long builds: the call returns at once, the output goes to a file, and a notice comes when the command ends. Don't poll for it, and don't end a command with `&`.";

export const bashSandboxText =
  '- Commands run in a sandbox: they can write only inside the working folders and a private /tmp, and have no network. If a command fails for that reason and really needs more, call it again with `needs`; the person is asked.';

export const bashConfinedText =
  '- A command that only reads needs no permission where it can run in a box: there it sees the working folders and the installed programs read-only, with an empty /tmp, no network, no other processes and nothing else of the machine. If the result shows that something was hidden and the task needs it, repeat the call with `unconfined: true`; the person is asked.';
