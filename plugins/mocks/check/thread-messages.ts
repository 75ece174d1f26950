/** The message that a checking thread sends when its code is loaded. The time limit of the check starts then. */
export const LOADED = 'loaded'
