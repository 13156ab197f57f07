/** Kinds of details that a merchant may ask a buyer for. */
export const detailKinds = ['email', 'address', 'note'] as const;

/** Kind of detail that a merchant may ask a buyer for. */
export type DetailKind = (typeof detailKinds)[number];

/** How a checkout asks for a detail. */
export type Asking = 'no' | 'optional' | 'required';

/** Details that the checkout of a product asks for. */
export type AskedDetails = Readonly<Record<DetailKind, Asking>>;

/** A product that asks for nothing. */
export const NOTHING_ASKED = {
  email: 'no',
  address: 'no',
  note: 'no',
} as const satisfies AskedDetails;

/** An address to deliver to. Texts that were left out are empty. */
export interface PostalAddress {
  readonly name: string;
  readonly line1: string;
  readonly line2: string;
  readonly city: string;
  readonly region: string;
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
}

/** Details that a buyer gives the merchant with an order; `null` for each that was not given. */
export interface BuyerDetails {
  readonly email: string | null;
  readonly address: PostalAddress | null;
  readonly note: string | null;
}

/** Kinds that were given. */
export function givenKinds(details: BuyerDetails): DetailKind[] {
  return detailKinds.filter((kind) => details[kind] !== null);
}

/** Kinds that are required, and were not given: without them nothing can be paid through this service. */
export function missingKinds(asks: AskedDetails, given: readonly DetailKind[]): DetailKind[] {
  return detailKinds.filter((kind) => asks[kind] === 'required' && !given.includes(kind));
}

/** True if a checkout asks for anything. */
export function asksAnything(asks: AskedDetails): boolean {
  return detailKinds.some((kind) => asks[kind] !== 'no');
}

/** Codes of countries and territories, ISO 3166-1 alpha-2. */
export const countryCodes: readonly string[] =
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE
GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM
KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ
NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH
SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG
VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s/);

/** Line breaks and other control characters: a line of an address has none. */
const CONTROL = /\p{Cc}+/gu;

/** Text of one line, without spaces around it. */
export function oneLine(text: string): string {
  return text.replace(CONTROL, ' ').trim();
}

/** Lines of an address as they are written on a parcel; `country` is its name or code. */
export function addressLines(address: PostalAddress, country = address.country): string[] {
  const place = [address.postalCode, address.city].filter((part) => part !== '').join(' ');
  return [address.name, address.line1, address.line2, place, address.region, country].filter(
    (line) => line !== '',
  );
}
