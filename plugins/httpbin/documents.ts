/** Fixed documents: the sample slide show, the page of Moby-Dick and the order form. */
import { escapeHtml } from 'svc/toolkit'

export const SLIDE_SHOW = {
  slideshow: {
    author: 'Yours Truly',
    date: 'date of publication',
    slides: [
      { title: 'Wake up to WonderWidgets!', type: 'all' },
      {
        items: ['Why <em>WonderWidgets</em> are great', 'Who <em>buys</em> WonderWidgets'],
        title: 'Overview',
        type: 'all',
      },
    ],
    title: 'Sample Slide Show',
  },
}

export const SLIDE_SHOW_XML = `<?xml version='1.0' encoding='us-ascii'?>
<slideshow title="Sample Slide Show" date="Date of publication" author="Yours Truly">
  <slide type="all">
    <title>Wake up to WonderWidgets!</title>
  </slide>
  <slide type="all">
    <title>Overview</title>
    <item>Why <em>WonderWidgets</em> are great</item>
    <item/>
    <item>Who <em>buys</em> WonderWidgets</item>
  </slide>
</slideshow>
`

/** Text by Herman Melville (1851), in the public domain. */
export const MOBY_DICK = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Moby-Dick</title>
  </head>
  <body>
    <h1>Herman Melville - Moby-Dick</h1>
    <div>
      <p>
        Call me Ishmael. Some years ago—never mind how long precisely—having little or no money in my purse, and
        nothing particular to interest me on shore, I thought I would sail about a little and see the watery part of
        the world. It is a way I have of driving off the spleen and regulating the circulation.
      </p>
    </div>
  </body>
</html>
`

const SIZES = ['Small', 'Medium', 'Large']
const TOPPINGS = [
  ['bacon', 'Bacon'],
  ['cheese', 'Extra cheese'],
  ['onion', 'Onion'],
  ['mushroom', 'Mushroom'],
] as const

/** The form for a pizza. `action` is the path it is posted to. */
export function orderForm(action: string): string {
  const input = (label: string, type: string, name: string): string =>
    `    <p><label>${label} <input type="${type}" name="${name}"></label></p>`
  const choice = (type: string, name: string, value: string, label: string): string =>
    `      <label><input type="${type}" name="${name}" value="${value}"> ${label}</label>`
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Order a pizza</title>
</head>
<body>
  <form method="post" action="${escapeHtml(action)}">
${input('Name', 'text', 'custname')}
${input('Telephone', 'tel', 'custtel')}
${input('Email', 'email', 'custemail')}
    <fieldset>
      <legend>Size</legend>
${SIZES.map(size => choice('radio', 'size', size.toLowerCase(), size)).join('\n')}
    </fieldset>
    <fieldset>
      <legend>Toppings</legend>
${TOPPINGS.map(([value, label]) => choice('checkbox', 'topping', value, label)).join('\n')}
    </fieldset>
    <p><label>Delivery time <input type="time" name="delivery" min="11:00" max="21:00" step="900"></label></p>
    <p><label>Instructions <textarea name="comments"></textarea></label></p>
    <p><button>Submit order</button></p>
  </form>
</body>
</html>
`
}

export const ROBOTS = 'User-agent: *\nDisallow: /deny\n'

export const DENIED = `
     .---------.
    /  \\\\   //  \\
   |    o   o    |
   |      ^      |
    \\   .---.   /
     '---------'
  YOU SHOULDN'T BE HERE
`
