import { logsOf } from '../chain/decode.ts';
import { differences } from '../compare.ts';
import { conclude } from '../conclude.ts';
import { saleFigures } from '../figures.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/** Its one SaleRecorded decodes to the sale, field by field, and all its events agree on the campaign. */
export function checkSale(subject: Subject): Check<'sale'> {
  const { facts, served } = subject;
  const figures = saleFigures(subject);
  const records = logsOf(facts.events, 'SaleRecorded').length;
  const strays = facts.events.filter(({ campaignId }) => campaignId !== figures.campaignId);
  const problems = [
    ...(records > 1 ? [`The chain recorded sale ${figures.saleId} ${records} times.`] : []),
    ...strays.map(
      ({ name, campaignId }) =>
        `A ${name} of the sale names campaign ${campaignId}, its SaleRecorded ${figures.campaignId}.`,
    ),
  ];
  const through = figures.nodeId === null ? 'directly' : `through node ${figures.nodeId}`;
  return conclude('sale', {
    pass: `Sale ${figures.saleId} of campaign ${figures.campaignId} was made ${through} to ${figures.buyer} for ${figures.amount} base units.`,
    problems,
    differences: served ? differences('', figures, served) : [],
    evidence: figures,
  });
}
