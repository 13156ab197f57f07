import { anvilCelo, anvilOptimism, edrEthereum, edrOp } from '../clients/clients.ts';
import { describeMainJob } from '../clients/main-job.ts';

describeMainJob(edrOp);
for (const client of [edrEthereum, anvilOptimism, anvilCelo]) {
  describeMainJob(client, {
    bundled: ['fiveLevel', 'partlyRefunded', 'claimed', 'reversedLater', 'secondOfBlock'],
  });
}
