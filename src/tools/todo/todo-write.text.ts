/** The description of TodoWrite for the model. */

export const todoWriteText = `Keeps the list of what is to be done in this session, where the person can see it.

Use it for work of three or more steps, or when the person names several things to do. Leave it out for a single simple step.

- Each call gives the whole list; it replaces the one before.
- \`content\` says what to do ("Add a test for the parser"), \`activeForm\` what is going on while it is done ("Adding a test for the parser").
- \`status\` is \`pending\`, \`in_progress\` or \`completed\`. At most one item is in progress.
- Mark an item completed as soon as it is really done, not before: a failing test or an open error keeps it in progress.
- Add what you find on the way; drop what no longer matters.`;
