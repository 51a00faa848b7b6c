/** What the model reads about ExitPlanMode. */

export const exitPlanModeText = `Shows your plan to the person, who accepts it, changes it, or wants to go on planning. Only in plan mode, and only when the plan is complete.

Give the whole plan in \`plan\`, in Markdown: what is to be changed, where, in which order, and how you will check it. If the person accepts, plan mode ends and you carry out the plan as it came back. Nothing but that acceptance is a yes.`;
