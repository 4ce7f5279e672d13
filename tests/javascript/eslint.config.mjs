import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-restricted-syntax": ["error", {
        selector: ":not(CallExpression[callee.name='part'] > ArrowFunctionExpression, MemberExpression[property.name='catch']) > ImportExpression",
        message: "The gateway may be away: load it with part() of stream.js, or catch that it cannot be had.",
      }],
    },
  },
];
