/** The description of NotebookEdit for the model. */

export const notebookEditText = `Changes one cell of a notebook (.ipynb). Read the notebook first: it shows the id of each cell.

- \`edit_mode\` is \`replace\` (unless given), \`insert\` or \`delete\`.
- replace: \`cell_id\` gets \`new_source\`; outputs of a code cell are cleared, because they belong to the old source.
- insert: a new cell with \`new_source\` after \`cell_id\`, or at the top without one; \`cell_type\` (\`code\` or \`markdown\`) is needed.
- delete: removes \`cell_id\`; \`new_source\` is ignored.`;
