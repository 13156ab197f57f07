import { z } from 'zod';
import type { DisputePlace } from '../db/read/disputes.ts';
import { cursorId, placeOf } from './cursor.ts';

const Place = z.tuple([cursorId, z.string().regex(/^[A-Za-z0-9_-]{1,100}$/)]);

/** Where the page of disputes before this one ended. */
export function disputePlaceOf(
  method: string,
  input: Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined },
): DisputePlace | undefined {
  const place = placeOf(method, input, Place);
  return place && { holdUntil: place[0], id: place[1] };
}
