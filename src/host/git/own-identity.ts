/** Who commits where git does not know the person, or where it must not depend on who they are. */

export const OWN_IDENTITY = {
  GIT_AUTHOR_NAME: 'Coppice',
  GIT_AUTHOR_EMAIL: 'coppice@localhost',
  GIT_COMMITTER_NAME: 'Coppice',
  GIT_COMMITTER_EMAIL: 'coppice@localhost',
} as const;
