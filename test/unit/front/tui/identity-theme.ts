/** A theme without colours, so that tests compare plain text. */

import { chooseTheme } from '../../../../src/front/tui/theme/choose-theme.js';

export const PLAIN = chooseTheme({ level: 0, background: 'dark' });
