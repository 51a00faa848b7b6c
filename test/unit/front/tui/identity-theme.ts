/** A theme without colours: what is on the screen is what is compared. */

import { chooseTheme } from '../../../../src/front/tui/theme/choose-theme.js';

export const PLAIN = chooseTheme({ level: 0, background: 'dark' });
