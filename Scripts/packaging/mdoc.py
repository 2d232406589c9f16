"""Manual pages in the language mdoc(7): from descriptions of commands, Markdown and Varlink."""
import re
import textwrap

# The longest line of mdoc's own style, for lines of running text.
WIDTH = 78
# The exit status of a command that describes none.
EXIT_STATUS = 'The exit codes are listed in\n.Xr reveille 7 .\n'


class Invalid(Exception):
    """A part that is to be inserted is missing or has an unexpected form."""


def literal(text):
    """Escapes text so that every character appears as it is, even when the text is copied from a terminal."""
    for character, escape in (("\\", r"\e"), ("-", r"\-"), ("'", r"\(aq"), ("`", r"\(ga"), ("^", r"\(ha"), ("~", r"\(ti")):
        text = text.replace(character, escape)
    # Parentheses after a name would be taken for a function of C.
    text = "".join(c if c.isascii() else rf"\[u{ord(c):04X}]" for c in text).replace("()", r"(\&)")
    return r"\&" + text if text.startswith((".", "'")) else text


def inline(text):
    """Escapes running text, in which `code` is bold. Options keep their hyphens, and quotes are straight."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).replace("**", "")
    parts = []
    for index, part in enumerate(re.split(r"`([^`]+)`", text)):
        if index % 2:
            parts.append(rf"\fB{literal(part).removeprefix(chr(92) + '&')}\fP")
            continue
        part = part.replace("\\", r"\e")
        part = re.sub(r"(?<!\w)-+(?=\w)[\w-]*|(?<!\S)-+(?!\S)|--+", lambda match: match[0].replace("-", r"\-"), part)
        part = re.sub(r"(?<!\w)'|'(?!\w)", r"\\(aq", part).replace("~", r"\(ti")
        parts.append("".join(c if c.isascii() else rf"\[u{ord(c):04X}]" for c in part))
    return "".join(parts)


def paragraph(text):
    """Returns text as lines, each sentence on a line of its own."""
    lines = []
    # A period within a word, and one after an abbreviation of one letter, ends no sentence.
    for sentence in re.split(r"(?<=[^\s.][.!?])\s+|(?<=[^\s.][.!?][)\"])\s+", " ".join(inline(text).split())):
        lines += textwrap.wrap(sentence, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join((r"\&" + line if line.startswith((".", "'")) else line) + "\n" for line in lines)


def display(lines):
    """Returns lines as they are, without their common indentation."""
    block = textwrap.dedent("\n".join(lines)).strip("\n").split("\n")
    return ".Bd -literal -offset indent\n" + "".join(literal(line) + "\n" for line in block) + ".Ed\n"


def body(blocks):
    """Joins paragraphs and displays; a paragraph after another block begins with a macro for it."""
    text = ""
    for block in blocks:
        text += ".Pp\n" if text and not block.startswith((".Bd", ".Bl", ".Ss")) and not text.endswith(".Pp\n") else ""
        text += block
    return text


class Command:
    """A command's page, from what the argument parser's option --experimental-dump-help prints about it."""

    HEADINGS = {"EXAMPLES": "EXAMPLES", "EXIT CODES": "EXIT STATUS"}

    def __init__(self, command):
        self.words = [*command.get("superCommands", []), command["commandName"]]
        self.name = "-".join(self.words)
        self.summary = command["abstract"].rstrip(".")
        self.sections = self.parse(command.get("discussion", ""))
        self.arguments = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
        subcommands = [subcommand["commandName"] for subcommand in command.get("subcommands", [])]
        self.commands = sorted(f"{self.name}-{name}" for name in subcommands)
        self.has_default = "defaultSubcommand" in command

    def parse(self, text):
        """Divides a description by its headings into blocks: lines of text, and displays of indented lines."""
        sections, heading, blocks, indented = {}, "DESCRIPTION", [], []
        for line in [*text.split("\n"), ""]:
            if line.startswith(" "):
                indented.append(line)
                continue
            if indented:
                blocks.append(display(indented))
                indented = []
            if line in self.HEADINGS:
                sections[heading], heading, blocks = blocks, self.HEADINGS[line], []
            elif line:
                blocks.append(paragraph(line))
        sections[heading] = blocks
        return sections

    @staticmethod
    def signature(argument, names):
        """Returns an argument as macros, by some of its names."""
        value = f"Ar {argument['valueName']}" + (" ..." if argument["isRepeating"] else "")
        if argument["kind"] == "positional":
            return value
        flags = ["-" * (name["kind"] == "long") + name["name"] for name in names]
        return f"Fl {' , '.join(flags)}" + (f" {value}" if argument["kind"] == "option" else "")

    def synopsis(self):
        text = f".Nm {' '.join(self.words)}\n"
        if self.commands:
            text += ".Oo\n.Ar subcommand\n.Oc\n" if self.has_default else ".Ar subcommand\n"
        def is_last(argument):
            return argument.get("parsingStrategy") == "postTerminator"
        for argument in sorted(self.arguments, key=is_last):
            signature = "Fl - " * is_last(argument) + self.signature(argument, [argument.get("preferredName")])
            text += f".Op {signature}\n" if argument["isOptional"] else f".{signature}\n"
        return text

    def options(self):
        items = ""
        for argument in self.arguments:
            names = sorted(argument.get("names", []), key=lambda name: name["kind"] != "short")
            items += f".It {self.signature(argument, names)}\n{paragraph(argument.get('abstract', ''))}"
        return f".Bl -tag -width 6n\n{items}.El\n" if items else ""

    def text(self, pages, day, main):
        """Returns the page. `pages` are all pages of the program, for references."""
        commands = [name for name in self.commands if name in pages]
        description = list(self.sections["DESCRIPTION"])
        if commands:
            items = "".join(f".It Xr {name} 1\n{paragraph(pages[name].summary + '.')}" for name in commands)
            description += ["The commands are:\n.Bl -tag -width 6n\n" + items + ".El\n"]
        description += ["The options are:\n" + self.options()] if self.arguments else []
        page = f'.Dd {day}\n.Dt {self.name.upper()} 1\n.Os\n.Sh NAME\n.Nm {self.name}\n.Nd {inline(self.summary)}\n'
        page += f".Sh SYNOPSIS\n{self.synopsis()}.Sh DESCRIPTION\n{body(description)}"
        page += f".Sh EXIT STATUS\n{body(self.sections.get('EXIT STATUS', [EXIT_STATUS]))}"
        if examples := self.sections.get("EXAMPLES"):
            page += f".Sh EXAMPLES\n{body(examples)}"
        parent = ["-".join(self.words[:-1])] if len(self.words) > 1 else []
        references = sorted({f"{name} 1" for name in [main, *parent] if name != self.name}) + [f"{main} 7"]
        return page + ".Sh SEE ALSO\n" + " ,\n".join(f".Xr {reference}" for reference in references) + "\n"


def markdown(text):
    """Returns a part of a Markdown document: paragraphs, lists, code, and tables as lists of their rows."""
    blocks = []
    # Code is taken out first, since it may have blank lines.
    pieces = re.findall(r"^```[^\n]*\n.*?^```$|[^\n]+(?:\n(?!```)[^\n]+)*", text, re.M | re.S)
    for piece in pieces:
        if piece.startswith("```"):
            blocks.append(display(piece.split("\n")[1:-1]))
        elif piece.startswith("|"):
            blocks.append(table(piece))
        elif piece.startswith("- "):
            items = re.split(r"^- ", piece, flags=re.M)[1:]
            blocks.append(".Bl -bullet\n" + "".join(".It\n" + paragraph(item) for item in items) + ".El\n")
        else:
            blocks.append(paragraph(piece))
    return body(blocks)


def table(text):
    """Returns a table as a list of its rows. The last column describes the first; the others follow with their heads."""
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.strip().split("\n")]
    items = ""
    for row in rows:
        described = row[-1].rstrip(".") + "."
        notes = " ".join(f"{name.strip().capitalize()}: {cell.rstrip('.')}." for name, cell in list(zip(head, row))[1:-1])
        term = ", ".join(rf"\fB{literal(word)}\fP" for word in re.findall(r"`([^`]+)`", row[0])) or inline(row[0])
        items += f".It {term}\n{paragraph(described[0].upper() + described[1:])}{paragraph(notes) if notes else ''}"
    return ".Bl -tag -width 6n\n" + items + ".El\n"


def interface(text, kind):
    """Returns the types, methods or errors of a Varlink interface, each with its comment and its signature."""
    result = ""
    # Each definition is a paragraph, with its comment at the beginning.
    for definition in text.strip().split("\n\n"):
        lines = definition.split("\n")
        comment = [line for line in lines if line.startswith("#")]
        signature = lines[len(comment):]
        name = re.match(rf"{kind} (\w+)", signature[0]) if signature else None
        if not name:
            continue
        described = " ".join(line.lstrip("# ") for line in comment)
        result += f".Ss {name[1]}\n" + body(([paragraph(described)] if comment else []) + [display(signature)])
    return result


def insertion(path, part):
    """Returns a section of a Markdown document, or the definitions of one kind of a Varlink interface."""
    text = path.read_text()
    if path.suffix == ".md":
        section = re.search(rf"^##(#?) {re.escape(part)}\n(.*?)(?=^##\1 |^## |^Next: |\Z)", text, re.M | re.S)
        result = markdown(section[2]) if section else ""
    else:
        result = interface(text, part)
    if not result:
        raise Invalid(f"{path}: has no part '{part}'")
    return result
