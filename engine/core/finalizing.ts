/** Sales that one transaction finalizes, at most: about 20 million gas if each rewards five levels. */
export const MAX_FINALIZED_SALES = 100;
