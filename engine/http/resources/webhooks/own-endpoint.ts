import type { Address } from '../../../core/events.ts';
import { readSubscription, webhookEventTypes } from '../../../core/webhook-events.ts';
import {
  type DeliveryRow,
  type EndpointRow,
  findDelivery,
  lockEndpoint,
} from '../../../db/commerce/webhook-endpoints.ts';
import type { Sql } from '../../../db/connection.ts';
import { type HttpError, notFound, unprocessable } from '../../errors.ts';

/**
 * Endpoint of the caller, locked until the transaction ends.
 * @throws {HttpError} NOT_FOUND if the caller has none of that id.
 */
export async function requireEndpoint(sql: Sql, owner: Address, id: string): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(sql, owner, id);
  if (endpoint === undefined) throw noEndpoint(id);
  return endpoint;
}

/** NOT_FOUND error for an endpoint that the caller does not have. */
export function noEndpoint(id: string): HttpError {
  return notFound(`You have no webhook endpoint ${id}.`);
}

/**
 * Delivery to an endpoint of the caller.
 * @throws {HttpError} NOT_FOUND if the caller has none of that id.
 */
export async function requireDelivery(sql: Sql, owner: Address, id: string): Promise<DeliveryRow> {
  const delivery = await findDelivery(sql, owner, id);
  if (delivery === undefined) throw noDelivery(id);
  return delivery;
}

/** NOT_FOUND error for a delivery that the caller does not have. */
export function noDelivery(id: string): HttpError {
  return notFound(`You have no webhook delivery ${id}.`);
}

/**
 * Names of events without duplicates.
 * @throws {HttpError} UNPROCESSABLE naming each that is no event.
 */
export function requireSubscriptions(events: readonly string[]): string[] {
  const issues = events.flatMap((text, index) => {
    if (readSubscription(text) !== undefined) return [];
    const message = `must be one of ${webhookEventTypes.join(', ')}, a group such as sale.*, or *; optionally with @safe or @finalized`;
    return [{ path: `events.${index}`, message }];
  });
  if (issues.length > 0) throw unprocessable('An event does not exist: see issues.', issues);
  return [...new Set(events)];
}
