/** The service by name, known before its packages are loaded. */
export const SERVICE = 'xds.service.orca.v3.OpenRcaService'
export const METHODS = ['StreamCoreMetrics'] as const
