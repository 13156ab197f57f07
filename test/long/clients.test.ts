import { anvilCelo, anvilOptimism, edrEthereum, edrOp } from '../clients/clients.ts';
import { describeMainJob } from '../clients/main-job.ts';

for (const client of [edrOp, edrEthereum, anvilOptimism, anvilCelo]) {
  describeMainJob(client, { starts: true });
}
