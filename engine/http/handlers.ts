import type { CallableName, LiveName } from '../contract/types.ts';
import type { Handler } from './handler.ts';
import type { NotYetBuilt } from './not-yet-built.ts';
import { get as getCampaign } from './routes/campaigns/get.ts';
import { list as listCampaigns } from './routes/campaigns/list.ts';
import { policy } from './routes/campaigns/policy.ts';
import { ancestry } from './routes/graph/ancestry.ts';
import { salePath } from './routes/graph/sale-path.ts';
import { events } from './routes/receipts/events.ts';
import { forCampaign } from './routes/receipts/for-campaign.ts';
import { get as getReceipt } from './routes/receipts/get.ts';
import { recent } from './routes/receipts/recent.ts';
import { verify } from './routes/receipts/verify.ts';
import { endpoints } from './routes/system/endpoints.ts';
import { status } from './routes/system/status.ts';

/**
 * A handler for each live method that is built. A live method that is neither here nor in
 * `notYetBuilt` does not compile; nor does one in both, nor a designed one here.
 */
export const handlers: { readonly [N in Exclude<LiveName, NotYetBuilt>]: HandlerOf<N> } = {
  'campaigns.list': listCampaigns,
  'campaigns.get': getCampaign,
  'campaigns.policy': policy,
  'receipts.get': getReceipt,
  'receipts.events': events,
  'receipts.verify': verify,
  'receipts.recent': recent,
  'receipts.forCampaign': forCampaign,
  'graph.ancestry': ancestry,
  'graph.salePath': salePath,
  'system.endpoints': endpoints,
  'system.status': status,
};

/** A method without schemas can have no handler. */
type HandlerOf<N extends LiveName> = N extends CallableName ? Handler<N> : never;
