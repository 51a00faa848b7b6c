/** Requests about the files that agents changed. */

import { type RequestHandlers, RequestRefused } from './request-handler.js';

export const fileRequests: RequestHandlers = {
  rewind_files: async ({ user_message_id: id, dry_run: dryRun = false }, { session }) => {
    if (typeof id !== 'string') throw new RequestRefused('rewind_files: user_message_id must be a string');
    if (typeof dryRun !== 'boolean') throw new RequestRefused('rewind_files: dry_run must be true or false');
    const rewound = await session.execute({ type: 'rewind', to: id, part: 'files', dryRun });
    if (!rewound.ok) return { canRewind: false, error: rewound.reason };
    const { files, left, insertions, deletions } = rewound;
    return {
      canRewind: true,
      filesChanged: files.map(({ path }) => path),
      insertions,
      deletions,
      // Changed by others since; their changes stay.
      ...(left.length > 0 ? { filesLeft: left } : {}),
    };
  },
};
