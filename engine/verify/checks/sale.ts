import { missingOf } from '../chain/answer.ts';
import { logsOf } from '../chain/decode.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import { saleFields } from '../receipt-fields.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * Checks that exactly one SaleRecorded has the sale's fields, that no block before it has an event of the sale, and
 * that all its events name one campaign.
 */
export function checkSale(subject: Subject, found: FoundFields): Check<'sale'> {
  const { facts } = subject;
  const fields = saleFields(subject);
  const records = logsOf(facts.events, 'SaleRecorded').length;
  const strays = facts.events.filter(({ campaignId }) => campaignId !== fields.campaignId);
  const problems = [
    ...(records > 1 ? [`The chain recorded sale ${fields.saleId} ${records} times.`] : []),
    ...(facts.earlier.ok ? facts.earlier.value : []).map(
      ({ name, location }) =>
        `A ${name} of the sale is in block ${location.blockNumber}, before its SaleRecorded in block ${facts.record.location.blockNumber}.`,
    ),
    ...strays.map(
      ({ name, campaignId }) =>
        `A ${name} of the sale names campaign ${campaignId}, its SaleRecorded ${fields.campaignId}.`,
    ),
  ];
  const through = fields.nodeId === null ? 'directly' : `through node ${fields.nodeId}`;
  return conclude('sale', {
    pass: `Sale ${fields.saleId} of campaign ${fields.campaignId} was made ${through} to ${fields.buyer} for ${fields.amount} base units.`,
    problems,
    ...found,
    missing: missingOf(facts.earlier),
    evidence: fields,
  });
}
