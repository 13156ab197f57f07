import { describe, expect, it } from 'vitest';
import { webhookEventTypes } from '../../../../../engine/core/webhook-events.ts';
import { groupedEvents } from './event-words.ts';
import { eventsOf, eventValues } from './events.ts';

describe('the events of a webhook', () => {
  it('explain each event once, and no other', () => {
    const groups = groupedEvents(webhookEventTypes);
    const shown = groups.flatMap(({ events }) => events.map(({ name }) => name));
    expect([...shown].sort()).toEqual([...webhookEventTypes]);
    expect(groups.map(({ title }) => title)).not.toContain('Others');
    expect(groupedEvents(['gift.sent'])[0]?.events).toEqual([
      { name: 'gift.sent', text: 'gift sent' },
    ]);
  });

  it('include later ones if each is ticked', () => {
    const values = { names: [...webhookEventTypes], finality: '@safe' };
    expect(eventsOf(values, webhookEventTypes)).toEqual(['*@safe']);
    expect(eventValues(['*@safe'], webhookEventTypes)).toEqual(values);
    const some = { names: ['sale.recorded'], finality: '' };
    expect(eventsOf(some, webhookEventTypes)).toEqual(['sale.recorded']);
  });
});
