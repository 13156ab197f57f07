import { type Behaviour, instead, type RpcRequest } from './trait.ts';

/** How an RPC refuses: by an HTTP response, by an error for each request, or by one error for a whole batch. */
export type Refusal =
  | { readonly status: number; readonly body: string }
  | { readonly code: number; readonly message: string; readonly ofBatch?: true };

/** Refuses some requests. @param isRefused decides about each request, and the batch that it is in. */
export function refusing(
  refusal: Refusal,
  isRefused: (request: RpcRequest, batch: readonly RpcRequest[]) => boolean = () => true,
): Behaviour {
  if (!('status' in refusal) && refusal.ofBatch !== true) {
    const { code, message } = refusal;
    const error = { code, message };
    return instead((request) => (isRefused(request, [request]) ? { error } : undefined))();
  }
  const answer =
    'status' in refusal
      ? refusal
      : { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: null, error: refusal }) };
  return { http: (batch) => (batch.some((one) => isRefused(one, batch)) ? answer : undefined) };
}
