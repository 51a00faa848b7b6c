/** A line of a question, and how it is to be painted. */

export type QuestionLine = {
  readonly kind: 'title' | 'detail' | 'input' | 'added' | 'removed' | 'danger';
  readonly text: string;
};
