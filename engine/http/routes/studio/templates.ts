import { z } from 'zod';
import type { PolicyTemplate } from '../../../contract/shapes/policy-input.ts';
import type { Address } from '../../../core/events.ts';
import { readOwnMerchant } from '../../../db/commerce/own-merchant.ts';
import { type OwnTemplate, readTemplates } from '../../../db/commerce/policy-templates.ts';
import type { Sql } from '../../../db/connection.ts';
import { cursorText, encodeCursor, placeOf } from '../../cursor.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';
import { builtInTemplates } from '../../studio/built-in-templates.ts';

type Template = z.infer<typeof PolicyTemplate>;

/** Whether built in, the name, and the id: what the list is ordered by. */
type Place = [string, string, string];
const Place = z.tuple([z.enum(['built-in', 'own']), cursorText, cursorText]);

/**
 * `studio.templates`: the built-in ones in their order, then the merchant's own by name. An account
 * without a profile has the built-in ones.
 */
export const templates: Handler<'studio.templates'> = async (input, { pool }, { session }) => {
  const after = placeOf('studio.templates', input, Place);
  const all = [...builtInPlaces(), ...(await ownPlaces(pool, session.address))];
  const rest = after === undefined ? all : all.filter(({ place }) => isAfter(place, after));
  const page = rest.slice(0, input.limit ?? PAGE_LIMIT);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return {
    data: {
      items: page.map(({ template }) => template),
      nextCursor: last ? encodeCursor({ method: 'studio.templates', input }, last.place) : null,
    },
  };
};

interface Placed {
  readonly place: Place;
  readonly template: Template;
}

function builtInPlaces(): Placed[] {
  return builtInTemplates.map((template, index) => ({
    place: ['built-in', String(index).padStart(4, '0'), template.id],
    template,
  }));
}

async function ownPlaces(sql: Sql, address: Address): Promise<Placed[]> {
  const merchant = await readOwnMerchant(sql, address);
  if (merchant === undefined) return [];
  const own = await readTemplates(sql, merchant.id);
  return own
    .map((one): Placed => ({ place: ['own', one.name, one.id], template: ownTemplate(one) }))
    .sort((a, b) => (isAfter(a.place, b.place) ? 1 : -1));
}

function isAfter(a: Place, b: Place): boolean {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? '';
    if (part !== other) return part > other;
  }
  return false;
}

/** A template of a merchant's own. */
export function ownTemplate({ id, name, policy, updatedAt }: OwnTemplate): Template {
  return { id, name, builtIn: false, policy, updatedAt: updatedAt.toISOString() };
}
