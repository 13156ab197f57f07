import type { z } from 'zod';
import type { BuyerDetailsInput } from '../../../contract/shapes/buyer-details.ts';
import {
  type AskedDetails,
  type BuyerDetails,
  detailKinds,
  givenKinds,
  missingKinds,
  oneLine,
} from '../../../core/buyer-details.ts';
import type { StoredDetails } from '../../../db/rows/buyer-details.ts';
import { openDetails } from '../../../secrets/buyer-details.ts';
import type { SecretKeys } from '../../../secrets/keys.ts';

import { unprocessable } from '../../errors.ts';

type Body = z.infer<typeof BuyerDetailsInput>;

const NOTHING: BuyerDetails = { email: null, address: null, note: null };

/**
 * Details of a request, without spaces around them.
 * @throws {HttpError} UNPROCESSABLE naming each field that is missing, or that the merchant did not ask for.
 */
export function acceptedDetails(body: Body, asks: AskedDetails): BuyerDetails {
  const details = trimmed(body);
  const given = givenKinds(details);
  const issues = [
    ...missingKinds(asks, given).map((path) => ({ path, message: 'is required by the merchant' })),
    ...detailKinds
      .filter((kind) => asks[kind] === 'no' && given.includes(kind))
      .map((path) => ({ path, message: 'was not asked for, so it is not stored' })),
  ];
  if (issues.length > 0) {
    throw unprocessable('The details cannot be stored: see issues.', issues);
  }
  return details;
}

function trimmed({ email, address, note }: Body): BuyerDetails {
  const text = note?.trim() ?? '';
  return {
    email: email?.trim() ?? null,
    address: address
      ? {
          name: oneLine(address.name),
          line1: oneLine(address.line1),
          line2: oneLine(address.line2 ?? ''),
          city: oneLine(address.city),
          region: oneLine(address.region ?? ''),
          postalCode: oneLine(address.postalCode ?? ''),
          country: address.country,
        }
      : null,
    note: text === '' ? null : text,
  };
}

/** Details as their buyer reads them. */
export function renderDetails(row: StoredDetails | undefined, keys: SecretKeys) {
  return {
    ...((row && openDetails(row, keys)) ?? NOTHING),
    givenAt: row?.givenAt.toISOString() ?? null,
    updatedAt: row?.updatedAt.toISOString() ?? null,
  };
}
