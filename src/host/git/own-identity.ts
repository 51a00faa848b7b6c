/** The author of commits if the user has no git identity, or if the commit must not depend on it. */

export const OWN_IDENTITY = {
  GIT_AUTHOR_NAME: 'Coppice',
  GIT_AUTHOR_EMAIL: 'coppice@localhost',
  GIT_COMMITTER_NAME: 'Coppice',
  GIT_COMMITTER_EMAIL: 'coppice@localhost',
} as const;
