/** What the tests of template.test.ts share with those of test:long. */

import { Templater } from '../../../../src/sim/recording/templater.js';

export const KNOWN = {
  folder: '/home/ann/work/app',
  roots: ['/home/ann/work/app', '/srv/data'],
  home: '/home/ann',
  config: '/home/ann/.claude',
  state: '/home/ann/.coppice',
  project: 'home-ann-work-app-0a1b2c3d4e',
  session: '01a1ddbf-0000-7000-8000-000000000001',
};

export const template = (text: string) => new Templater(KNOWN).ofText(text);
