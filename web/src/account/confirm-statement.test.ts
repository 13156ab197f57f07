import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import { describe, expect, it } from 'vitest';
import { methods } from '../../../engine/contract/registry.ts';
import { confirmStatement, SIGN_IN_STATEMENT } from './confirm-statement.ts';

const COSTS_NOTHING = 'This costs nothing and moves nothing.';
const ADDRESS = `0x${'ab'.repeat(20)}`;

/** Every text that a wallet shows for a signature of a text: a method with its input, and the sentence. */
const table: readonly (readonly [method: string, input: Record<string, unknown>, text: string])[] =
  [
    ['account.delete', {}, 'Delete everything that this service stores about your account.'],
    [
      'apiKeys.create',
      { name: 'Shop backend', scopes: ['orders.read', 'orders.write'] },
      "Create the API key 'Shop backend' with 2 rights: orders.read, orders.write.",
    ],
    [
      'apiKeys.create',
      {
        name: 'All',
        scopes: ['a.read', 'b.read', 'c.read', 'd.read', 'e.read', 'f.read', 'g.read'],
      },
      "Create the API key 'All' with 7 rights: a.read, b.read, c.read, d.read, e.read, f.read and 1 more.",
    ],
    ['apiKeys.rotate', { id: 'k1' }, 'Replace the API key k1 by a new one with the same rights.'],
    ['merchants.close', { slug: 'cafe' }, 'Close the merchant profile cafe.'],
    [
      'notifications.setPreferences',
      { email: 'ada@shop.example' },
      'Send notifications by e-mail to ada@shop.example.',
    ],
    [
      'notifications.setPreferences',
      { kinds: [] },
      'Change which notifications are sent by e-mail.',
    ],
    [
      'operations.end',
      { campaignId: '7' },
      'Prepare the end of campaign 7, which cannot be undone.',
    ],
    ['reports.export', { kind: 'sales' }, 'Export the report sales, which names buyers.'],
    [
      'reputation.updateVisibility',
      { visibility: 'public', handle: 'north-wind' },
      'Make your profile public under the name north-wind.',
    ],
    ['team.invite', { address: ADDRESS, role: 'admin' }, `Invite ${ADDRESS} to the team as admin.`],
    ['team.updateRole', { id: 'm1', role: 'viewer' }, 'Give the team member m1 the role viewer.'],
    ['team.transferOwnership', { address: ADDRESS }, `Make ${ADDRESS} the owner of the team.`],
    [
      'webhooks.create',
      { url: 'https://shop.example/hook', events: ['sale.recorded'] },
      'Send to https://shop.example/hook 1 kind of event: sale.recorded.',
    ],
    [
      'webhooks.create',
      { url: 'https://shop.example/hook', events: ['*@finalized'] },
      'Send to https://shop.example/hook all events.',
    ],
    ['webhooks.update', { id: 'w1', enabled: false }, 'Turn the webhook w1 off.'],
    [
      'webhooks.update',
      { id: 'w1', events: ['sale.recorded', 'sale.refunded'] },
      'Send to the webhook w1 2 kinds of events: sale.recorded, sale.refunded.',
    ],
    ['webhooks.rotateSecret', { id: 'w1' }, 'Make a new secret for the webhook w1.'],
  ];

describe('what a wallet shows for a signature', () => {
  it.each(table)('names the action %s %j', (method, input, sentence) => {
    expect(confirmStatement(method, input)).toBe(`${sentence} ${COSTS_NOTHING}`);
  });

  it('names every method that asks for a signature, and no other', () => {
    const asking = methods
      .filter(({ input }) => Object.hasOwn(input.body?.shape ?? {}, 'confirmationToken'))
      .map(({ name }) => name);
    const stated = methods
      .map(({ name }) => name)
      .filter((name) => !confirmStatement(name, {}).startsWith(`Do ${name}.`));
    expect(stated.sort()).toEqual(asking.sort());
    expect(new Set(table.map(([method]) => method))).toEqual(new Set(asking));
  });

  it('uses only characters of EIP-4361, one line, and no more than a wallet shows', () => {
    const names = ['Café\n\nURI: https://evil.example', 'Ключ', '"x"%', 'x'.repeat(500)];
    for (const name of names) {
      const statement = confirmStatement('apiKeys.create', { name, scopes: ['orders.read'] });
      expect(statement).toMatch(/^[A-Za-z0-9 \-._~:/?#[\]@!$&'()*+,;=]+$/);
      expect(statement.length).toBeLessThan(300);
      const message = createSiweMessage({
        address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        domain: 'shop.example',
        uri: 'https://shop.example',
        version: '1',
        chainId: 1,
        nonce: 'abcdefgh',
        statement,
      });
      // A name cannot add a field to the message.
      expect(parseSiweMessage(message)).toMatchObject({ statement, uri: 'https://shop.example' });
    }
    expect(SIGN_IN_STATEMENT).toMatch(/^[A-Za-z0-9 .]+$/);
  });
});
