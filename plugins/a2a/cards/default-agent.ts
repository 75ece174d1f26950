/** The agent of `/a2a` and of the cards at the root; its card lists all agents. */
export const DEFAULT_AGENT = 'echo'
