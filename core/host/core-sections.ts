/** Sections of `svc.yaml` that belong to the core. */
export const CORE_SECTIONS = ['plugins', 'rules', 'sessions', 'notify'] as const
