import { z } from 'zod';
import type { PolicyTemplate } from '../../../contract/shapes/policy-input.ts';
import type { Address } from '../../../core/events.ts';
import { readOwnMerchant } from '../../../db/commerce/own-merchant.ts';
import { readTemplates } from '../../../db/commerce/policy-templates.ts';
import type { Sql } from '../../../db/connection.ts';
import type { Handler } from '../../handler-types.ts';
import { cursorText, ListPage, mapItems } from '../../input/cursor.ts';
import { builtInTemplates, ownTemplate } from '../../resources/studio/templates.ts';

type Template = z.infer<typeof PolicyTemplate>;

/** Sort key of the list. */
const position = { origin: z.enum(['built-in', 'own']), name: cursorText, id: cursorText };
type Position = Readonly<Record<keyof typeof position, string>>;

/**
 * `studio.templates`: built-in templates in their order, then the merchant's own by name. An account without
 * a profile has only the built-in ones.
 */
export const templates: Handler<'studio.templates'> = async (input, { pool }, { merchant }) => {
  const page = new ListPage('studio.templates', input, position);
  const { after } = page;
  const all = [...builtInItems(), ...(await ownItems(pool, merchant))];
  const rest = after === undefined ? all : all.filter(({ position }) => isAfter(position, after));
  const found = page.of(rest, (one) => one.position);
  return { data: mapItems(found, ({ template }) => template) };
};

interface ListedTemplate {
  readonly position: Position;
  readonly template: Template;
}

function builtInItems(): ListedTemplate[] {
  return builtInTemplates.map((template, index) => ({
    position: { origin: 'built-in', name: String(index).padStart(4, '0'), id: template.id },
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
        position: { origin: 'own', name: one.name, id: one.id },
        template: ownTemplate(one),
      }),
    )
    .sort((a, b) => (isAfter(a.position, b.position) ? 1 : -1));
}

function isAfter(a: Position, b: Position): boolean {
  if (a.origin !== b.origin) return a.origin > b.origin;
  return a.name === b.name ? a.id > b.id : a.name > b.name;
}
