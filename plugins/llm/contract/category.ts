/** The category of all routes of the mock LLM in the API reference. */
export const CATEGORY = 'AI: Mock LLM'
