/** The description of AskUserQuestion for the model. */

export const askUserQuestionText = `Asks the person one to four questions, each with two to four options, and waits for the answers.

Use it when only the person can decide and the answer changes what you do: a choice between real alternatives, something that is unclear in the task. Find out by reading what you can find out by reading, and don't ask for permission with it: tools ask for that themselves.

- Each option has a short \`label\` and a \`description\` of what it means. Put the one you recommend first and say so.
- The person can always answer in their own words, so there is no need for an option "Other".
- \`multiSelect\`: several options may be chosen. \`preview\`: a text to compare, such as a sketch or a piece of code.
- No answer is not a yes.`;
