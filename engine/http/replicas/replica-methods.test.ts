import { describe, expect, it } from 'vitest';
import { servedMethods } from '../../contract/registry.ts';
import { isReplicaRead } from './replica-methods.ts';

const all = servedMethods(new Set(['apiKeys', 'team', 'webhooks', 'notifications']));
const chosen = new Set(all.filter(isReplicaRead).map(({ name }) => name));

describe('isReplicaRead', () => {
  it('accepts public reads of the ledger, and sums of a session', () => {
    for (const name of ['receipts.get', 'campaigns.list', 'events.list', 'earnings.summary']) {
      expect(chosen).toContain(name);
    }
  });

  it('refuses writes, and reads of what a person stores', () => {
    for (const { name, method } of all) {
      if (method !== 'GET') expect(chosen).not.toContain(name);
      if (/^(auth|moderation|team|apiKeys|webhooks|intents|orders)\./.test(name)) {
        expect(chosen).not.toContain(name);
      }
    }
    for (const name of ['checkout.getIntent', 'checkout.preview', 'system.status']) {
      expect(chosen).not.toContain(name);
    }
  });
});
