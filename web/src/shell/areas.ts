import { pathOf } from '../../../engine/contract/pages.ts';

/** A link of a menu: its address and its name. */
type MenuLink = readonly [href: string, name: string];

/** A part of the site with a menu of its own. */
export interface Area {
  /** Its name next to the brand; the public site has none. */
  readonly name?: string;
  readonly menu: readonly MenuLink[];
  /** A second line of links. */
  readonly more: readonly MenuLink[];
}

/** Lists of all that is public. */
const explore: readonly MenuLink[] = [
  [pathOf('campaigns'), 'Campaigns'],
  [pathOf('sales'), 'Sales'],
  [pathOf('distributors'), 'Distributors'],
  [pathOf('merchants'), 'Merchants'],
  [pathOf('status'), 'Status'],
];

/** For everybody: things to buy, and all that can be checked. */
const site: readonly MenuLink[] = [
  [pathOf('products'), 'Shop'],
  [pathOf('join'), 'Earn'],
  [pathOf('console'), 'Sell'],
  [pathOf('campaigns'), 'Explore'],
];

/** For those who share links or buy. */
const earn: readonly MenuLink[] = [
  [pathOf('account'), 'My account'],
  [pathOf('join'), 'Find campaigns'],
  [pathOf('purchases'), 'Purchases'],
];

/** For merchants; the sections of the console are next to its page. */
const sell: readonly MenuLink[] = [
  [pathOf('console'), 'Console'],
  [pathOf('products'), 'Shop'],
];

/** The area that a page belongs to. */
export function areaOf(path: string): Area {
  if (isWithin(path, pathOf('console'))) return { name: 'Sell', menu: sell, more: [] };
  if (isWithin(path, pathOf('account'))) return { name: 'Earn', menu: earn, more: [] };
  const isList = explore.some(([href]) => isWithin(path, href));
  return { menu: site, more: isList ? explore : [] };
}

/** The link of a menu that leads closest to a page. */
export function currentIn(menu: readonly MenuLink[], path: string): string | undefined {
  const hrefs = menu.map(([href]) => href).filter((href) => isWithin(path, href));
  return hrefs.sort((a, b) => b.length - a.length)[0];
}

/** True for a page, and for those whose address begins with its own. */
function isWithin(path: string, href: string): boolean {
  return path === href || path.startsWith(`${href}/`);
}
