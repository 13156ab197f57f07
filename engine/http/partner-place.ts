import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { PartnerPlace } from '../db/read/list-partners.ts';
import { type CursorScope, cursorAmount, encodeCursor, placeOf } from './cursor.ts';

const Place = z.tuple([cursorAmount, z.string().regex(/^[0-9a-f]{64}$/)]);

/** Where the page of partners before this one ended. */
export function partnerPlaceOf({ method, input }: CursorScope): PartnerPlace | undefined {
  const cursor = typeof input.cursor === 'string' ? input.cursor : undefined;
  const place = placeOf(method, { ...input, cursor }, Place);
  return place && { key: place[0], tie: place[1] };
}

export function partnerCursor(scope: CursorScope, next: PartnerPlace | null): string | null {
  return next && encodeCursor(scope, [next.key, next.tie]);
}

/** Keys what a cursor says of an account, so that it names nobody who is hidden. */
export function tieSecret(secret: string): string {
  return createHmac('sha256', secret).update('tributary partner cursor').digest('hex');
}
