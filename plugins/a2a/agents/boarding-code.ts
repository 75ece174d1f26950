/** Owns the small picture on the boarding pass: a PNG (RFC 2083) of 21 by 21 pixels that looks like a code. */
export const BOARDING_CODE_PNG = 'iVBORw0KGgoAAAANSUhEUgAAABUAAAAVAQAAAACBbJg7AAAAVklEQVR42h3IsQ2AIBBA0c8GrENheUsQ7UlsWOA2ktIdaES2sKWkMWfiKx9uBS0DuTzyemTx6DZwB9g9MZs8obLHzlkSoeX/XKho7EhJSMuITTRUXOwfSwAh0DmPq/YAAAAASUVORK5CYII='
