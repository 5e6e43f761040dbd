// The folder of this package. `import.meta` would be a syntax error where Jest turns ES modules into CommonJS.
module.exports = __dirname;
