/** What a checking thread sends before its result: its code is loaded, and the time of the check counts from here. */
export const LOADED = 'loaded'
