/** The scopes of the control plane. */

/** From lowest to highest; each includes those before it. */
export const CONTROL_SCOPES = ['inspector', 'console', 'admin'] as const
export type ControlScope = (typeof CONTROL_SCOPES)[number]
