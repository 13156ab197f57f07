import { anvilCelo, anvilOptimism, edrEthereum } from '../clients/clients.ts';
import { describeMainJob } from '../clients/main-job.ts';

for (const client of [edrEthereum, anvilOptimism, anvilCelo]) describeMainJob(client);
