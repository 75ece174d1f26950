/** Version of the catalog of checks; part of every report. */
export const CATALOGUE = '2026.3'
