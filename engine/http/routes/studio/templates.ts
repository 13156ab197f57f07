import { z } from 'zod';
import type { PolicyTemplate } from '../../../contract/shapes/policy-input.ts';
import type { Address } from '../../../core/events.ts';
import { readOwnMerchant } from '../../../db/commerce/own-merchant.ts';
import { readTemplates } from '../../../db/commerce/policy-templates.ts';
import type { Sql } from '../../../db/connection.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorText, decodeCursor, pageOf } from '../../input/cursor.ts';
import { builtInTemplates, ownTemplate } from '../../resources/studio/templates.ts';

type Template = z.infer<typeof PolicyTemplate>;

/** Sort key of the list: built-in or own, the name, and the id. */
type Position = [string, string, string];
const Position = z.tuple([z.enum(['built-in', 'own']), cursorText, cursorText]);

/**
 * `studio.templates`: built-in templates in their order, then the merchant's own by name. An account without
 * a profile has only the built-in ones.
 */
export const templates: Handler<'studio.templates'> = async (input, { pool }, { merchant }) => {
  const scope = { method: 'studio.templates', input };
  const after = decodeCursor(scope, Position);
  const all = [...builtInItems(), ...(await ownItems(pool, merchant))];
  const rest = after === undefined ? all : all.filter(({ position }) => isAfter(position, after));
  const { items, nextCursor } = pageOf(
    rest,
    input.limit ?? PAGE_LIMIT,
    scope,
    (one) => one.position,
  );
  return { data: { items: items.map(({ template }) => template), nextCursor } };
};

interface ListedTemplate {
  readonly position: Position;
  readonly template: Template;
}

function builtInItems(): ListedTemplate[] {
  return builtInTemplates.map((template, index) => ({
    position: ['built-in', String(index).padStart(4, '0'), template.id],
    template,
  }));
}

async function ownItems(sql: Sql, address: Address): Promise<ListedTemplate[]> {
  const merchant = await readOwnMerchant(sql, address);
  if (merchant === undefined) return [];
  const own = await readTemplates(sql, merchant.id);
  return own
    .map(
      (one): ListedTemplate => ({
        position: ['own', one.name, one.id],
        template: ownTemplate(one),
      }),
    )
    .sort((a, b) => (isAfter(a.position, b.position) ? 1 : -1));
}

function isAfter(a: Position, b: Position): boolean {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? '';
    if (part !== other) return part > other;
  }
  return false;
}
