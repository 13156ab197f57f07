import type { InputOf, OutputOf } from '../contract/types.ts';
import type { AcrossRequest } from './across.ts';
import type { gatewayMethods } from './methods.ts';
import type { ResponseDeployments } from './shapes.ts';

type Methods = typeof gatewayMethods;

/** Result of a method across deployments. */
export interface GatewayResult<T> {
  readonly data: T;
  readonly deployments: ResponseDeployments;
  /** Cursor that reads the items of missing deployments later, on the last page of a list. */
  readonly resumeCursor?: string;
}

/** Handler of a method of the gateway, by its key in `gatewayMethods`. */
export type GatewayHandler<K extends keyof Methods> = (
  input: InputOf<Methods[K]>,
  request: AcrossRequest,
) => Promise<GatewayResult<OutputOf<Methods[K]>>>;
