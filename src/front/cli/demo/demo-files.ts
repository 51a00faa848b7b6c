/** The demo's repository: a shop whose totals leave out the first item of every basket. */

type Order = { readonly number: number; readonly items: readonly Item[] };
type Item = { readonly name: string; readonly price: number; readonly count: number };

const GOODS = ['tea', 'cup', 'kettle', 'honey', 'spoon', 'filter', 'tray'];

/** The same orders every time, and enough of them to make a shared conversation worthwhile. */
const ORDERS: readonly Order[] = Array.from({ length: 400 }, (_, index) => ({
  number: 1001 + index,
  items: Array.from({ length: 2 + (index % 2) }, (_, slot) => ({
    name: GOODS[(index + 3 * slot) % GOODS.length] ?? 'tea',
    price: 2 + ((index * 7 + slot * 5) % 19),
    count: 1 + ((index + slot) % 3),
  })),
}));

export const ORDER_COUNT = ORDERS.length;

/** What the bug cost: the first item of each order. */
export const LOST = ORDERS.reduce((sum, { items: [first] }) => sum + (first ? first.price * first.count : 0), 0);

export const DEMO_FILES: Readonly<Record<string, string>> = {
  'total.mjs': `/** Adds up what a basket costs. */
export function total(items) {
  let sum = 0;
  for (let index = 1; index < items.length; index += 1) {
    sum += items[index].price * items[index].count;
  }
  return sum;
}
`,
  'total.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from './total.mjs';

test('counts every item', () => {
  assert.equal(total([{ price: 3, count: 2 }, { price: 5, count: 1 }]), 11);
});
`,
  'stock.mjs': `/** Adds up what lies on the shelves. */
export function stock(shelves) {
  let sum = 0;
  for (let index = 0; index < shelves.length; index += 1) sum += shelves[index].count;
  return sum;
}
`,
  'orders.txt': ORDERS.map(
    ({ number, items }) =>
      `${number}: ${items.map(({ name, price, count }) => `${count} x ${name} at ${price}`).join(', ')}\n`,
  ).join(''),
  'CLAUDE.md': 'Small functions, tests beside them. Run the tests with `node --test`.\n',
};
