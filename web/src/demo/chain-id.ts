/** Id of anvil's chain: on any other chain there is no demo, whatever the page says. */
export const LOCAL_CHAIN_ID = 31_337;
